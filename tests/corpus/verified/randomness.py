"""Randomness: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import array
import random
import secrets
import uuid
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

GENERATOR = torch.Generator()


DICE = random.Random(1)


NUMPY_RNG = np.random.default_rng(0)


NUMPY_STATE = np.random.RandomState(0)


TYPED = array.array('i', [1])


# whole
@torch.compile
def case_bernoulli(t: torch.Tensor):
    other = t + 1
    other.bernoulli_(0.5)
    return other


# whole
@torch.compile
def case_bernoulli_again(t: torch.Tensor):
    return torch.bernoulli(torch.ones(3) * 0.5)


# whole
@torch.compile
def case_dropout(t: torch.Tensor):
    return F.dropout(t, 0.5)


# breaks
@torch.compile
def case_manual(t: torch.Tensor):
    torch.manual_seed(0)
    return t + torch.rand(3)


# breaks
@torch.compile
def case_fork_generator(t: torch.Tensor):
    with torch.random.fork_rng():
        other = torch.rand(3)
    return t + other


# breaks
@torch.compile
def case_generator_global_seed(t: torch.Tensor):
    GENERATOR.manual_seed(0)
    return t + 1


# breaks
@torch.compile
def case_generator_local(t: torch.Tensor):
    source = torch.Generator()
    return t + torch.rand(3, generator=source)


# breaks
@torch.compile
def case_generator_multinomial(t: torch.Tensor, source: torch.Generator):
    return torch.multinomial(t, 1, generator=source)


# whole
@torch.compile
def case_randint(t: torch.Tensor):
    return t + random.randint(0, 3)


# whole
@torch.compile
def case_randrange(t: torch.Tensor):
    return t + random.randrange(3)


# breaks
@torch.compile
def case_choice(t: torch.Tensor):
    return t + random.choice([1, 2])


# breaks
@torch.compile
def case_choices(t: torch.Tensor):
    return t + random.choices([1, 2])[0]


# breaks
@torch.compile
def case_shuffle(t: torch.Tensor):
    items = [1, 2]
    random.shuffle(items)
    return t + items[0]


# breaks
@torch.compile
def case_sample(t: torch.Tensor):
    return t + random.sample([1, 2], 1)[0]


# breaks
@torch.compile
def case_gauss(t: torch.Tensor):
    return t + random.gauss(0, 1)


# breaks
@torch.compile
def case_normalv(t: torch.Tensor):
    return t + random.normalvariate(0, 1)


# breaks
@torch.compile
def case_seed(t: torch.Tensor):
    random.seed(0)
    return t + 1


# breaks
@torch.compile
def case_getstate(t: torch.Tensor):
    random.getstate()
    return t + 1


# breaks
@torch.compile
def case_Random_global_shuffle(t: torch.Tensor):
    items = [1, 2]
    DICE.shuffle(items)
    return t + items[0]


# whole
@torch.compile
def case_Random_new(t: torch.Tensor):
    outcome = random.Random(1)
    return t + outcome.random()


# whole
@torch.compile
def case_Random_randint(t: torch.Tensor):
    outcome = random.Random(1)
    return t + outcome.randint(0, 5)


# breaks
@torch.compile
def case_randbits(t: torch.Tensor):
    return t + random.getrandbits(2)


# breaks
@torch.compile
def case_secrets(t: torch.Tensor):
    return t + secrets.randbelow(3)


# breaks
@torch.compile
def case_uuid(t: torch.Tensor):
    return t + len(str(uuid.uuid4()))


# breaks
@torch.compile
def case_numpy_generator_global(t: torch.Tensor):
    return t + NUMPY_RNG.random()


# breaks
@torch.compile
def case_numpy_rs_global(t: torch.Tensor):
    return t + NUMPY_STATE.rand()


# whole
@torch.compile
def case_new_dropout(t: torch.Tensor):
    return nn.Dropout(0.1)(t)


# whole
@torch.compile
def case_given_generator(source: torch.Generator, t: torch.Tensor):
    return t + 1


# breaks
@torch.compile
def case_typed_array_global(t: torch.Tensor):
    return t + TYPED[0]


# breaks
@torch.compile
def case_typed_array_length(t: torch.Tensor):
    return t + len(TYPED)


# breaks
@torch.compile
def case_typed_array_iterated(t: torch.Tensor):
    return t + sum(TYPED)


# breaks
@torch.compile
def case_Random_keyword(t: torch.Tensor):
    import random
    return t + random.Random(x=1).random()


# breaks
@torch.compile
def case_set_default_generator(t: torch.Tensor):
    torch.default_generator.manual_seed(0)
    return t + 1


# breaks
@torch.compile
def case_randint_in_a_tuple_of_shifts(t: torch.Tensor):
    import random
    return torch.roll(t[None], shifts=(random.randint(0, 1), 0), dims=(0, 1))


# breaks
@torch.compile
def case_randint_in_a_shape(t: torch.Tensor):
    import random
    return t.sum() + torch.zeros((random.randint(1, 2), 2))


# breaks
@torch.compile
def case_randint_in_a_list_of_paddings(t: torch.Tensor):
    import random
    return torch.nn.functional.pad(t, [random.randint(1, 2)] * 2)
