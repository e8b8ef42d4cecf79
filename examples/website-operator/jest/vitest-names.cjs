// What the tests import from Vitest, Jest has as globals of the same names and meaning.
module.exports = { describe, expect, test };
