// `bench`: ratios measured in one run, each against a budget. Run by `npm run bench`, never by a test: see budget.ts.
export {};
