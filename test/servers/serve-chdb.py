"""Runs libchdb (argument 1) as clickhouse-local with the remaining arguments, on a thread with the stack that it wants."""

import ctypes
import os
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
library.chdb_query_cmdline.restype = ctypes.c_int
arguments = [b"clickhouse-local"] + [os.fsencode(argument) for argument in sys.argv[2:]]
vector = (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)

threading.stack_size(256 * 1024 * 1024)
thread = threading.Thread(target=lambda: os._exit(library.chdb_query_cmdline(len(arguments), vector)))
thread.start()
thread.join()
