// Empty: the precompiled header of the plain libraries needs a target that makes it.
