"""libemilia through the foreign functions of another language: ctypes of Python.

    python ctypes_example.py [PATH OF libemilia.so.0]
"""

import ctypes
import sys


class Position(ctypes.Structure):
    _fields_ = [("player", ctypes.c_uint64), ("opponent", ctypes.c_uint64), ("side", ctypes.c_uint8)]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("column", ctypes.c_uint32), ("text", ctypes.c_char * 248)]


class Result(ctypes.Structure):
    _fields_ = [
        ("score", ctypes.c_double),
        ("nodes", ctypes.c_uint64),
        ("depth", ctypes.c_uint32),
        ("lower", ctypes.c_int8),
        ("upper", ctypes.c_int8),
        ("proven", ctypes.c_uint8),
        ("best", ctypes.c_uint8),
        ("line_length", ctypes.c_uint8),
        ("line", ctypes.c_uint8 * 96),
    ]


emilia = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libemilia.so.0")
emilia.emilia_version.restype = ctypes.c_char_p
emilia.emilia_engine_free.argtypes = [ctypes.c_void_p]
emilia.emilia_engine_free.restype = None

error = Error()


def check(code):
    if code != 0:
        raise RuntimeError(error.text.decode())


def main():
    engine, position, result = ctypes.c_void_p(), Position(), Result()
    check(emilia.emilia_engine_new(None, ctypes.byref(engine), ctypes.byref(error)))
    text = b"---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O"
    check(emilia.emilia_position_parse(text, ctypes.byref(position), ctypes.byref(error)))
    arguments = [ctypes.byref(position), b"exact", None, ctypes.byref(result), ctypes.byref(error)]
    check(emilia.emilia_solve(engine, *arguments))
    assert (result.proven, result.lower, result.upper, result.nodes) == (3, 0, 0, 61176)
    print(f"emilia {emilia.emilia_version().decode()}: {result.lower:+d}, {result.nodes} nodes")
    try:
        check(emilia.emilia_position_parse(b"?", ctypes.byref(position), ctypes.byref(error)))
    except RuntimeError as raised:
        print(f"column {error.column}: {raised}")
    emilia.emilia_engine_free(engine)


if __name__ == "__main__":
    main()
