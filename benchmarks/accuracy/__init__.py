"""Accuracy: findings compared with the graph breaks that torch.compile made in recorded runs."""
