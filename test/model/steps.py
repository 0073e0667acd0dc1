"""The steps of random histories: each runs one command, and says what it does to the oracle."""

from count_steps import CountSteps
from record_steps import RecordSteps


class Steps(CountSteps, RecordSteps):
    WEIGHTS = {
        'import_counts': 30,
        'delete_impressions': 6,
        'facts': 7,
        'delete_facts': 3,
        'move': 12,
        'zone': 8,
        'attributes': 2,
        'set_aside': 10,
        'restore': 9,
        'close': 5,
        'close_too_early': 1,
        'undo': 2,
        'delete_sensor': 3,
        'delete_asset': 3,
        'retain': 2,
        'note': 5,
    }

    def step(self):
        names = list(self.WEIGHTS)
        name = self.random.choices(names, [self.WEIGHTS[n] for n in names])[0]
        getattr(self, name)()
        return name
