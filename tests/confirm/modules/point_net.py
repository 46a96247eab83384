import torch
import torch.nn as nn
import torch.nn.functional as F


class TNet(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.k = k
        self.conv1 = nn.Conv1d(k, 64, 1)
        self.conv2 = nn.Conv1d(64, 128, 1)
        self.fc1 = nn.Linear(128, 64)
        self.fc2 = nn.Linear(64, k * k)
        self.bn1 = nn.BatchNorm1d(64)
        self.bn2 = nn.BatchNorm1d(128)

    def forward(self, x):
        batchsize = x.size()[0]
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        x = torch.max(x, 2, keepdim=True)[0].view(-1, 128)
        x = self.fc2(F.relu(self.fc1(x)))
        iden = torch.eye(self.k, device=x.device).flatten()[None].repeat(batchsize, 1)
        return (x + iden).view(-1, self.k, self.k)


class PointNetSeg(nn.Module):
    def __init__(self, num_parts, normal_channel=True):
        super().__init__()
        channel = 6 if normal_channel else 3
        self.stn = TNet(3)
        self.conv1 = nn.Conv1d(channel, 64, 1)
        self.conv2 = nn.Conv1d(64, 128, 1)
        self.head = nn.Conv1d(192 + 16, num_parts, 1)

    def forward(self, point_cloud, label):
        B, D, N = point_cloud.size()
        trans = self.stn(point_cloud[:, :3])
        x = point_cloud.transpose(2, 1)
        if D > 3:
            x, feature = x.split([3, D - 3], dim=2)
        x = torch.bmm(x, trans)
        if D > 3:
            x = torch.cat([x, feature], dim=2)
        h = F.relu(self.conv1(x.transpose(2, 1)))
        g = self.conv2(h).max(dim=2, keepdim=True)[0]
        one_hot = label.view(B, 16, 1).float()
        g = torch.cat([g, one_hot], 1).expand(-1, -1, N)
        return self.head(torch.cat([h, g], 1)).transpose(2, 1)
