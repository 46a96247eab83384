"""Uses of tensor methods, tensor subclasses, modules, hooks and autograd that Dynamo does not support.

The codes are GBL600 to GBL619 and GBL640 to GBL659.
"""
