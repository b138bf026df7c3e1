#!/usr/bin/env python3
"""Generates the test data of this folder: make.py DECTEST-FOLDER BSON-CORPUS-FOLDER

The first folder is Lib/test/decimaltestdata of CPython 3.11, the second test/bson_corpus of the
source distribution of PyMongo. README.md describes the files.
"""
import json
import random
import re
import struct
import sys
from decimal import Context, Decimal, ROUND_HALF_EVEN
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = """dqAbs dqAdd dqBase dqClass dqCompare dqCopy dqCopyAbs dqCopyNegate dqDivide dqEncode
dqMinus dqMultiply dqPlus dqReduce dqSubtract""".split()
TOKEN = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"|(\S+)")


def tokens(line):
    found = []
    for single, double, plain in TOKEN.findall(line):
        if plain.startswith("--"):
            break
        found.append(plain or single.replace("''", "'") or double.replace('""', '"'))
    return found


QUAD = Context(prec=34, Emin=-6143, Emax=6144, clamp=1, rounding=ROUND_HALF_EVEN, traps=[])


def is_same_half_even(operation, operands, result):
    """Whether Python gets the same result when it rounds half even."""
    operations = {"add": QUAD.add, "subtract": QUAD.subtract, "multiply": QUAD.multiply,
                  "divide": QUAD.divide, "tosci": lambda value: value}
    if operation not in operations or "#" in "".join(operands):
        return False
    value = operations[operation](*[QUAD.create_decimal(operand) for operand in operands])
    return str(value) == result


def general_decimal_arithmetic(folder):
    lines = []
    for name in FILES:
        rounding = written = None
        lines.append(f"file\t{name}")
        for line in (folder / f"{name}.decTest").read_text().splitlines():
            parts = tokens(line)
            if not parts or line.startswith("--"):
                continue
            if parts[0].lower() == "rounding:":
                rounding = parts[1].lower()
            elif "->" in parts[2:]:
                arrow = parts.index("->", 2)
                operands, result, flags = parts[2:arrow], parts[arrow + 1], parts[arrow + 2:]
                if "conversion_syntax" in [flag.lower() for flag in flags]:
                    result = "syntax"
                fields = [parts[0], parts[1].lower(), *operands, result]
                assert not any("\t" in field for field in fields)
                needed = rounding
                if is_same_half_even(fields[1], operands, result):
                    needed = "half_even"
                if needed != written:
                    written = needed
                    lines.append(f"rounding\t{needed}")
                lines.append("\t".join(fields))
    return lines


def bson(folder):
    lines = []
    for number in range(1, 8):
        data = json.loads((folder / f"decimal128-{number}.json").read_text())
        lines.append(f"file\tdecimal128-{number}")
        for case in data.get("valid", []):
            # 4 bytes of length, type, name "d" and its end, 16 bytes, the end.
            low, high = struct.unpack("<QQ", bytes.fromhex(case["canonical_bson"])[7:23])
            text = json.loads(case["canonical_extjson"])["d"]["$numberDecimal"]
            fields = ["lossy" if case.get("lossy") else "valid", f"{high:016x}", f"{low:016x}", text]
            if "degenerate_extjson" in case:
                fields.append(json.loads(case["degenerate_extjson"])["d"]["$numberDecimal"])
            lines.append("\t".join(fields))
        for case in data.get("parseErrors", []):
            lines.append(f"error\t{case['string']}")
    return lines


def python_decimal():
    context = QUAD
    pick = random.Random(754)

    def coefficient():
        kind = pick.randrange(8)
        count = pick.choice([1, 2, 3, 9, 16, 17, 18, 19, 20, 21, 30, 33, 34])
        if kind == 0:
            return 10 ** (count - 1)
        if kind == 1:
            return 10 ** count - 1
        if kind == 2:
            return 5 * 10 ** (count - 1)
        if kind == 3:
            return 5 * 10 ** (count - 1) + pick.choice([-1, 1])
        if kind == 4:
            return pick.randrange(10 ** min(count, 5)) * 10 ** max(0, count - 5)
        return pick.randrange(10 ** count)

    def exponent():
        kind = pick.randrange(10)
        if kind < 6:
            return pick.randint(-20, 20)
        if kind < 7:
            return pick.randint(-6176, -6130)
        if kind < 8:
            return pick.randint(6070, 6111)
        return pick.randint(-3100, 3100)

    def number():
        if pick.randrange(60) == 0:
            return Decimal(pick.choice(["NaN", "Infinity", "-Infinity", "0", "-0", "0E-6176"]))
        sign = pick.choice(["", "-"])
        return context.create_decimal(f"{sign}{coefficient()}E{exponent()}")

    def near(a):
        """A number at a distance from the other that results in a tie, or nearly one."""
        if not a.is_finite():
            return number()
        sign = pick.choice(["", "-"])
        digits = pick.choice(["5", "50", "49", "51", "500000000000000000000000000000001",
                              "4999999999999999999999999999999999", "1", "10"])
        return context.create_decimal(
            f"{sign}{digits}E{a.adjusted() - 34 - len(digits) + pick.randint(-1, 2)}")

    def text(value):
        return str(value)

    def bits(double):
        return struct.pack(">d", double).hex()

    operations = {"add": context.add, "subtract": context.subtract, "multiply": context.multiply,
                  "divide": context.divide}
    lines = []
    for _ in range(700):
        a = number()
        b = near(a) if pick.randrange(3) == 0 else number()
        for name in pick.sample(list(operations), 2):
            lines.append(f"{name}\t{text(a)}\t{text(b)}\t{text(operations[name](a, b))}")
        if not a.is_nan() and not b.is_nan():
            lines.append(f"compare\t{text(a)}\t{text(b)}\t{context.compare(a, b)}")
    for _ in range(200):
        # Products and quotients at the ends of the range.
        a, b = number(), number()
        if not (a.is_finite() and b.is_finite() and a and b):
            continue
        target = pick.choice([pick.randint(-6215, -6140), pick.randint(6100, 6150)])
        half = target // 2
        a = context.create_decimal((a.as_tuple().sign, a.as_tuple().digits, half))
        b = context.create_decimal((b.as_tuple().sign, b.as_tuple().digits, target - half))
        lines.append(f"multiply\t{text(a)}\t{text(b)}\t{text(context.multiply(a, b))}")
        c = context.create_decimal((b.as_tuple().sign, b.as_tuple().digits, half - target))
        lines.append(f"divide\t{text(a)}\t{text(c)}\t{text(context.divide(a, c))}")
    for _ in range(150):
        a = number()
        digits = str(pick.randrange(10 ** pick.randint(30, 60)))
        ending = pick.choice(["", "5", "50000", "500001", "49999"])
        written = f"{digits[:34]}.{digits[34:]}{ending}E{exponent()}"
        lines.append(f"read\t{written}\t{text(context.create_decimal(written))}")
    for _ in range(300):
        # Doubles of all sizes, and decimals next to them.
        if pick.randrange(2):
            double = struct.unpack(">d", struct.pack(">Q", pick.getrandbits(64)))[0]
        else:
            double = pick.choice([round(pick.uniform(-1e6, 1e6), pick.randrange(12)),
                                  float(pick.randrange(2 ** 63)), pick.choice([5e-324, 2.0 ** -1022,
                                  1.7976931348623157e308, 0.1, 0.5, 1e22, 1e23, 2.0 ** 53, -0.0])])
        if double != double or abs(double) == float("inf"):
            continue
        shortest = Decimal(repr(double))
        lines.append(f"fromdouble\t{bits(double)}\t{text(context.normalize(shortest))}")
        exact = context.create_decimal(Decimal(double))
        step = pick.choice([context.next_minus, context.next_plus, lambda value: value])
        for decimal in {shortest, exact, step(exact)}:
            order = 0 if decimal == Decimal(double) else (-1 if decimal < Decimal(double) else 1)
            lines.append(f"comparedouble\t{text(decimal)}\t{bits(double)}\t{order}")
            lines.append(f"todouble\t{text(decimal)}\t{bits(float(decimal))}")
        # Halfway between two doubles, or as near as the digits allow.
        following = struct.unpack(">d", struct.pack(">Q", struct.unpack(">Q", struct.pack(
            ">d", abs(double)))[0] + 1))[0]
        if following != float("inf"):
            middle = context.create_decimal(
                (Decimal(abs(double)) + Decimal(following)) / 2)
            lines.append(f"todouble\t{text(middle)}\t{bits(float(middle))}")
    return lines


def write(name, lines):
    (HERE / name).write_text("\n".join(lines) + "\n")
    print(name, len(lines))


if __name__ == "__main__":
    write("general-decimal-arithmetic.txt", general_decimal_arithmetic(Path(sys.argv[1])))
    write("bson-decimal128.txt", bson(Path(sys.argv[2])))
    write("python-decimal.txt", python_decimal())
