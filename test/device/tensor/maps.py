"""Makes random descriptions of tensor maps, and records which of them a driver rejects. It rejects about half of them.

Each description is first valid. Then up to three of its fields are changed."""

import ctypes
import dataclasses
import random

BITS = (8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6)  # indexed by the driver's number of the type
PACKED_8, PACKED_16, PACKED_6 = 13, 14, 15
UNPACKED = (PACKED_16, PACKED_6)  # types with gaps in shared memory
SWIZZLE_BYTES = (0, 32, 64, 128, 128, 128, 128)


@dataclasses.dataclass
class Description:
    how: str  # tiled, im2col, or wide
    kind: int
    rank: int
    address: int
    extents: list
    strides: list  # bytes, for all dimensions except the innermost
    steps: list
    box: list = dataclasses.field(default_factory=list)
    lower: list = dataclasses.field(default_factory=list)
    upper: list = dataclasses.field(default_factory=list)
    channels: int = 0
    pixels: int = 0
    mode: int = 0  # mode of a wide map
    interleave: int = 0
    swizzle: int = 0
    promotion: int = 0
    fill: int = 0

    def encode(self, cuda):
        """Returns the error number of the driver, and the map."""
        storage = ctypes.create_string_buffer(256)
        at = ctypes.addressof(storage) + 63 & ~63

        def array(kind, values):
            return (kind * 8)(*values)

        head = [ctypes.c_void_p(at), self.kind, ctypes.c_uint32(self.rank), ctypes.c_void_p(self.address)]
        head += [array(ctypes.c_uint64, self.extents), array(ctypes.c_uint64, self.strides)]
        steps = array(ctypes.c_uint32, self.steps)
        words = [self.swizzle, self.promotion, self.fill]
        if self.how == "tiled":
            box = array(ctypes.c_uint32, self.box)
            error = cuda.cuTensorMapEncodeTiled(*head, box, steps, self.interleave, *words)
        else:
            size = [ctypes.c_uint32(self.channels), ctypes.c_uint32(self.pixels)]
            if self.how == "im2col":
                corners = [array(ctypes.c_int, self.lower), array(ctypes.c_int, self.upper)]
                error = cuda.cuTensorMapEncodeIm2col(*head, *corners, *size, steps, self.interleave, *words)
            else:
                corners = [self.lower[0], self.upper[0]]
                error = cuda.cuTensorMapEncodeIm2colWide(
                    *head, *corners, *size, steps, self.interleave, self.mode, *words
                )
        return error, bytes(storage)[at - ctypes.addressof(storage) :][:128]


def corner_limit(rank):
    return {3: 1 << 15, 4: 1 << 7, 5: 1 << 4}.get(rank, 1 << 15)


def allowed(rng, how):
    """Returns a description that should be allowed."""
    rank = rng.randint(1 if how == "tiled" else 3, 5)
    kind = rng.choice(range(13)) if rng.random() < 0.7 else rng.choice((PACKED_8, PACKED_16, PACKED_6))
    bits = BITS[kind]
    interleave = rng.choice((0, 0, 0, 1, 2)) if rank >= 3 and kind < 13 and how != "wide" else 0
    swizzle = 1 if interleave == 2 else rng.randrange(7)
    is_unpacked = kind in UNPACKED
    if is_unpacked:
        swizzle = rng.choice((0, 3, 4, 6))
    alignment = 32 if interleave == 2 or is_unpacked else 16
    extents = [rng.choice((rng.randint(1, 300), rng.randint(1, 1 << 20), 1 << 32)) for _ in range(rank)]
    if kind >= 13:
        extents[0] = rng.randint(1, 64) * 128
    strides, last = [], -(-extents[0] * bits // 8)
    for extent in extents[1:]:
        stride = -(-last // alignment) * alignment + rng.choice((0, 0, alignment, 5 * alignment))
        strides.append(min(stride, (1 << 40) - alignment))
        last = stride * extent
    most = SWIZZLE_BYTES[swizzle] or 256
    row = rng.randrange(16, most + 1, 16)
    inner = row * 8 // (8 if is_unpacked else bits)
    if is_unpacked:
        inner = 128
    inner = max(1, min(inner, 256))
    one = Description(
        how,
        kind,
        rank,
        0x7F0000000000 + rng.randrange(1 << 20) * alignment,
        extents,
        strides,
        [rng.randint(1, 8) for _ in range(rank)],
        interleave=interleave,
        swizzle=swizzle,
        promotion=rng.randrange(4),
        fill=rng.randrange(2) if 6 <= kind < 13 else 0,
    )
    if how == "tiled":
        one.box = [inner] + [rng.choice((rng.randint(1, 16), rng.randint(1, 256))) for _ in range(rank - 1)]
        return one
    limit = corner_limit(rank)
    count = rank - 2 if how == "im2col" else 1
    one.lower = [rng.choice((0, rng.randint(-limit, limit - 1), rng.randint(-3, 3))) for _ in range(count)]
    one.upper = [rng.choice((0, rng.randint(-limit, limit - 1), rng.randint(-3, 3))) for _ in range(count)]
    one.channels = inner
    one.pixels = rng.choice((rng.randint(1, 1024), rng.randint(1, 256)))
    one.mode = rng.randrange(2)
    return one


def damage(rng, one):
    """Changes one field."""

    def near(values):
        return rng.choice(values)

    fields = ["kind", "rank", "address", "extent", "stride", "step", "interleave", "swizzle", "promotion", "fill"]
    fields += ["box"] * 3 if one.how == "tiled" else ["lower", "upper", "channels", "channels", "pixels"]
    if one.how == "wide":
        fields.append("mode")
    field = rng.choice(fields)
    at = rng.randrange(max(one.rank, 1)) % 5
    if field == "kind":
        one.kind = rng.randrange(17)
    elif field == "rank":
        one.rank = rng.randrange(7)
        for values in (one.extents, one.strides, one.steps, one.box, one.lower, one.upper):
            if values:
                values += [rng.choice(values) for _ in range(6 - len(values))]
    elif field == "address":
        one.address += near((1, 2, 4, 8, 16, 32))
    elif field == "extent":
        one.extents[at] = near((0, 1, 2, 7, 100, 128, 96, 160, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 33))
    elif field == "stride" and one.strides:
        values = (0, 8, 16, 24, 32, 48, 1 << 20, (1 << 40) - 16, (1 << 40) - 32, 1 << 40, (1 << 40) + 16)
        one.strides[at % len(one.strides)] = near(values)
    elif field == "step":
        one.steps[at] = near((0, 1, 2, 7, 8, 9, 16))
    elif field == "interleave":
        one.interleave = rng.randrange(4)
    elif field == "swizzle":
        one.swizzle = rng.randrange(8)
    elif field == "promotion":
        one.promotion = rng.randrange(5)
    elif field == "fill":
        one.fill = rng.randrange(3)
    elif field == "box":
        one.box[at] = near((0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 255, 256, 257, 512))
    elif field in ("lower", "upper"):
        limit = corner_limit(one.rank)
        values = getattr(one, field)
        values[at % len(values)] = near((-limit - 1, -limit, limit - 1, limit, 0, 1, -1, 70000, -70000))
    elif field == "channels":
        one.channels = near((0, 1, 2, 4, 8, 12, 16, 24, 32, 64, 96, 100, 128, 192, 255, 256, 257))
    elif field == "pixels":
        one.pixels = near((0, 1, 2, 128, 256, 257, 511, 512, 513, 1023, 1024, 1025, 4096))
    elif field == "mode":
        one.mode = rng.randrange(3)


def descriptions(seed, count):
    rng = random.Random(seed)
    made = []
    for number in range(count):
        one = allowed(rng, ("tiled", "im2col", "tiled", "wide")[number % 4])
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            damage(rng, one)
        made.append(one)
    return made
