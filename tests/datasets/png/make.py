"""Writes the files of this folder: PNGs as people's tools write them, and beside each the RGB bytes that Pillow reads from it.

Made with Pillow 13.0.0: python make.py FOLDER. Pillow writes what it can; kinds that it only reads (2 and 4 bits of grey, interlaced, 16-bit RGB)
are put together here chunk by chunk. Pictures are 11 x 9, so that each of Adam7's seven passes has pixels. Where a picture is transparent,
its RGB bytes are value * alpha / 255 in exact fractions, rounded.
"""
import struct
import sys
import zlib
from fractions import Fraction
from PIL import Image, ImageCms

folder = sys.argv[1] + "/"
W, H = 11, 9


def picture(mode, most=255):
    """A drawing whose pixels all differ somewhat."""
    channels = len(Image.new(mode, (1, 1)).getbands())
    image = Image.new(mode, (W, H))
    values = [[(23 * x + 41 * y + 67 * c + x * y * (c + 1)) % (most + 1) for c in range(channels)] for y in range(H) for x in range(W)]
    image.putdata([v[0] if channels == 1 else tuple(v) for v in values])
    return image


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(color_type, depth, pixels, size=(W, H), interlaced=False, before=b""):
    """pixels[y][x] is a tuple of values; no filter."""
    def rows(x0, y0, dx, dy):
        out = b""
        for y in range(y0, size[1], dy):
            bits = "".join(format(v, f"0{depth}b") for x in range(x0, size[0], dx) for v in pixels[y][x])
            if bits:
                bits += "0" * (-len(bits) % 8)
                out += b"\0" + int(bits, 2).to_bytes(len(bits) // 8, "big")
        return out
    data = b"".join(rows(*p) for p in ADAM7) if interlaced else rows(0, 0, 1, 1)
    header = struct.pack(">IIBBBBB", *size, depth, color_type, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")


def pixels_of(image):
    data = [v if isinstance(v, tuple) else (v,) for v in image.get_flattened_data()]
    return [data[y * W:(y + 1) * W] for y in range(H)]


def write(name, bytes_or_image, **options):
    path = folder + name + ".png"
    if isinstance(bytes_or_image, bytes):
        open(path, "wb").write(bytes_or_image)
    else:
        bytes_or_image.save(path, **options)


def with_pixels(name, bytes_or_image, **options):
    write(name, bytes_or_image, **options)
    read = Image.open(folder + name + ".png")
    assert read.size == (W, H)
    rgba = read.convert("RGBA").get_flattened_data()
    # Adding a half and cutting off rounds to nearest.
    on_black = [int(Fraction(v * pixel[3], 255) + Fraction(1, 2)) for pixel in rgba for v in pixel[:3]]
    open(folder + name + ".rgb", "wb").write(bytes(on_black))


with_pixels("grey1", picture("L").convert("1"))
for depth in (2, 4):
    with_pixels(f"grey{depth}", png(0, depth, pixels_of(picture("L", 2**depth - 1))))
with_pixels("grey8", picture("L"))
with_pixels("rgb", picture("RGB"))
for depth in (1, 2, 4, 8):
    with_pixels(f"palette{depth}", picture("RGB").quantize(2**depth), bits=depth)
with_pixels("rgba", picture("RGBA"))
with_pixels("grey_alpha", picture("LA"))
with_pixels("palette_alpha", picture("RGB").quantize(16), bits=4, transparency=bytes(range(0, 240, 16)))
with_pixels("grey_key", picture("L"), transparency=picture("L").getpixel((5, 5)))
with_pixels("rgb_key", picture("RGB"), transparency=picture("RGB").getpixel((5, 5)))
with_pixels("interlaced_rgb", png(2, 8, pixels_of(picture("RGB")), interlaced=True))
with_pixels("interlaced_grey1", png(0, 1, pixels_of(picture("L", 1)), interlaced=True))
with_pixels("interlaced_rgba", png(6, 8, pixels_of(picture("RGBA")), interlaced=True))
# Nobody applies these: a gamma of 1, odd primaries, a profile.
with_pixels("gamma", png(2, 8, pixels_of(picture("RGB")), before=chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"cHRM", struct.pack(">8I", *[33333] * 8))))
profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
with_pixels("profile", picture("RGB"), icc_profile=profile[:24] + bytes(12) + profile[36:])  # without the time of day

write("animated", picture("RGB"), save_all=True, append_images=[picture("RGB").rotate(180)])
write("grey16", Image.frombytes("I;16", (W, H), struct.pack(f"<{W * H}H", *range(0, 600 * W * H, 600))))
write("rgb16", png(2, 16, [[(600 * x, 500 * y, 400) for x in range(W)] for y in range(H)]))
# 60 bytes that claim 10.8 GB of pixels, and as many as claim the largest picture that is read.
write("bomb", png(2, 8, [[(0, 0, 0)]], size=(1, 1)).replace(chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)), chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0))))
write("largest_bomb", png(2, 8, [[(0, 0, 0)]], size=(1, 1)).replace(chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)), chunk(b"IHDR", struct.pack(">IIBBBBB", 16384, 16384, 8, 2, 0, 0, 0))))
