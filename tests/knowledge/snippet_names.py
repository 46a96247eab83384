# ruff: noqa: E741, F401, N802
# The names in the snippets of facts.txt, other than modules, the inputs (x, i, b), y = x + 1 and A = x.numpy().
from __future__ import annotations

import array
import concurrent.futures
import contextlib
import contextvars
import dataclasses
import datetime
import decimal
import hashlib
import io
import logging
import pickle
import queue
import random
import re
import threading

import numpy as np
import torch
import torch.nn.functional as F


def helper(v):
    return v


@dataclasses.dataclass
class Data:
    a: int = 1


@torch.compiler.disable
def DIS(v):
    return v


O = type("Obj", (), {})()
O.close = lambda: None
DC = Data()
LOG = logging.getLogger("snippets")
LAD = logging.LoggerAdapter(LOG, {})
CTX = contextvars.copy_context()
CV = contextvars.ContextVar("snippets", default=1)
PAT = re.compile("a")
RND = random.Random(0)
TRNG = torch.get_rng_state()
GEN = torch.Generator()
PKL = pickle.dumps([1])
LST = [1]
torch.save(LST, "saved.pt")
LIN = torch.nn.Linear(4, 4)
LIN2 = torch.nn.Linear(4, 4)
SD = LIN.state_dict()
SEQ = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
ML = torch.nn.ModuleList([torch.nn.Linear(4, 4)])
MD = torch.nn.ModuleDict({"a": torch.nn.Linear(4, 4)})
P = torch.nn.Parameter(torch.ones(4))
OPT = torch.optim.SGD([P], 0.1)
SCH = torch.optim.lr_scheduler.StepLR(OPT, 1)
COSINE = torch.optim.lr_scheduler.CosineAnnealingLR(OPT, 10)
CYCLE = torch.optim.lr_scheduler.OneCycleLR(torch.optim.SGD([P], 0.1, momentum=0.9), 0.1, total_steps=10)
PLATEAU = torch.optim.lr_scheduler.ReduceLROnPlateau(OPT)
AVERAGED = torch.optim.swa_utils.SWALR(OPT, 0.1)
ARRAY = array.array("i", [1, 2])
BYTES = io.BytesIO(b"a")
CONTEXT = decimal.getcontext()
DECIMAL = decimal.Decimal("1.5")
DELTA = datetime.timedelta(1)
FUTURE: concurrent.futures.Future[int] = concurrent.futures.Future()
HASH = hashlib.sha256(b"a")
TEXT = io.StringIO("a")
TIME = datetime.time(1)
VARIABLES = contextvars.copy_context()
TOK = CV.set(2)
DS = torch.utils.data.TensorDataset(torch.ones(3, 4))
SUB = torch.utils.data.Subset(DS, [0, 1])
ARR = np.ones((4, 4), np.uint8)
np.save("array.npy", ARR)
X3 = torch.rand(2, 4, 4)
LENS = torch.tensor([4, 3])
PACK = torch.nn.utils.rnn.pack_padded_sequence(X3, LENS, batch_first=True)
I4 = torch.tensor([1, 2, 3, 1])
XC = torch.rand(4).to(torch.complex64)
RS = np.random.RandomState(0)
BARRIER = threading.Barrier(1)
BOUNDED = threading.BoundedSemaphore(1000)
CONDITION = threading.Condition()
EVENT = threading.Event()
RLOCK = threading.RLock()
SEMAPHORE = threading.Semaphore(1000)
THREAD = threading.Thread(target=helper)
QUEUE: queue.Queue[int] = queue.Queue()
SIMPLE: queue.SimpleQueue[int] = queue.SimpleQueue()
for _ in range(500):
    BOUNDED.acquire()
    CONDITION.acquire()
    RLOCK.acquire()
    QUEUE.put(1)
    SIMPLE.put(1)
RNG = np.random.default_rng(0)
NPS = np.int64(3)
with contextlib.suppress(ImportError):
    import PIL.Image

    IMG = PIL.Image.fromarray(ARR)
    IMG.save("image.png")
