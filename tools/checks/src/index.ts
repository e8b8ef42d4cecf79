// `checks`: what `npm run check` and `npm test` run beside the packages' own tests: architecture, public names,
// documents, packaging. Nothing imports this; each file is a program or a test.
export {};
