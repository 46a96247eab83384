"""Python control flow that depends on the values of a tensor (GBL2xx).

Dynamo cannot know which branch runs while it traces.
"""
