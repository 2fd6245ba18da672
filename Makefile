# make lab opens the lessons, make test checks the kit, make test-all all of it; lab.py does the work (on Windows: py lab.py).
# Hand something on: make lab ARGS="--no-browser". Another Python: make lab PYTHON=python3.12.
PYTHON ?= python3
COMMANDS = lab lab-small test test-all notebooks site lite slides questions item-analysis assignments student-kit collect grade regrade similarity grade-demo bench fuzz parity t5-tiny decoder-tiny tokenizer-effects screenshot

.PHONY: $(COMMANDS)
$(COMMANDS):
	@$(PYTHON) lab.py $@ $(ARGS)
