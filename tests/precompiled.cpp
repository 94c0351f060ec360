// Empty: the precompiled header of the tests needs a target that makes it.
