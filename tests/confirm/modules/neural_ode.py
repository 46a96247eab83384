import torch
from torch import nn


class ODEFunc(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, 50), nn.Tanh(), nn.Linear(50, dim))
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        t = torch.ones_like(y[..., :1]) * t
        return self.net(torch.cat([y, t], dim=-1))


class ODEBlock(nn.Module):
    def __init__(self, odefunc, step_size=0.25, method="rk4"):
        super().__init__()
        self.odefunc = odefunc
        self.step_size = step_size
        assert method in ["euler", "rk4"]
        self.method = method

    def step(self, t, dt, y):
        if self.method == "euler":
            return dt * self.odefunc(t, y)
        k1 = self.odefunc(t, y)
        k2 = self.odefunc(t + dt / 2, y + dt * k1 / 2)
        k3 = self.odefunc(t + dt / 2, y + dt * k2 / 2)
        k4 = self.odefunc(t + dt, y + dt * k3)
        return dt * (k1 + 2 * k2 + 2 * k3 + k4) / 6

    def forward(self, y0, t_span):
        t0, t1 = t_span[0], t_span[-1]
        steps = max(1, int((t1 - t0).abs() / self.step_size))
        dt = (t1 - t0) / steps
        y, t = y0, t0
        for _ in range(steps):
            y = y + self.step(t, dt, y)
            t = t + dt
        return y
