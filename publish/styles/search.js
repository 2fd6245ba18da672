// Pages of the API reference come after lessons and the glossary with the same words. Other values are Sphinx's own.
var Scorer = {
  score: ([name, , , , score]) => /^tokenlab(\.|$)/.test(name) ? score - 20 : score,
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
