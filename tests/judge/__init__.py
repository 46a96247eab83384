"""The judge: runs the examples of the rules through Dynamo and through gblint, and says on which lines each of them breaks."""
