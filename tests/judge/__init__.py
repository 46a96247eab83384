"""The judge: runs the examples of the rules through Dynamo and through gblint, and says where each of them breaks."""
