# The Spin models, each in its right form and in the variants that must fail.
.PHONY: model
model:
	@tests/model/run $(B)/model
