import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self, in_channels, latent_dim, hidden_dims=None):
        super().__init__()
        self.latent_dim = latent_dim
        if hidden_dims is None:
            hidden_dims = [16, 32, 64]
        modules = []
        channels = in_channels
        for h_dim in hidden_dims:
            modules.append(
                nn.Sequential(nn.Conv2d(channels, h_dim, 3, stride=2, padding=1), nn.BatchNorm2d(h_dim), nn.LeakyReLU())
            )
            channels = h_dim
        self.encoder = nn.Sequential(*modules)
        self.fc_mu = nn.Linear(hidden_dims[-1] * 16, latent_dim)
        self.fc_var = nn.Linear(hidden_dims[-1] * 16, latent_dim)
        self.decoder_input = nn.Linear(latent_dim, hidden_dims[-1] * 16)
        self.hidden_dims = hidden_dims
        ups = []
        for a, b in zip(hidden_dims[::-1], hidden_dims[::-1][1:] + [in_channels]):
            ups.append(nn.ConvTranspose2d(a, b, 4, stride=2, padding=1))
        self.decoder = nn.Sequential(*ups)

    def encode(self, input):
        result = torch.flatten(self.encoder(input), start_dim=1)
        return self.fc_mu(result), self.fc_var(result)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        result = self.decoder_input(z).view(-1, self.hidden_dims[-1], 4, 4)
        return torch.sigmoid(self.decoder(result))

    def forward(self, input):
        mu, log_var = self.encode(input)
        z = self.reparameterize(mu, log_var)
        recon = self.decode(z)
        kld = -0.5 * torch.mean(1 + log_var - mu**2 - log_var.exp())
        return recon, F.mse_loss(recon, input) + kld
