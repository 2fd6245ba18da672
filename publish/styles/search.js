// Lessons come first, and pages of the API reference last. Other values are Sphinx's own.
var Scorer = {
  score: ([name, , , , score]) => score + (/^(\d\d|capstone)_/.test(name) ? 100 : /^tokenlab(\.|$)/.test(name) ? -100 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
