"""The foundation of the kit: functions that can be watched, the steps that they yield, and recordings of these.

`recording` holds `step` and `Recording`, `stepwise_functions` the decorator `stepwise`; `serialization` and
`field_types` write recordings as JSON and check what is read.
"""
