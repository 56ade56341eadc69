# {{name}}

A plugin for Lateen and Velero, on [@lateen/plugin](https://www.npmjs.com/package/@lateen/plugin).

| command | what it does |
|---|---|
| `npm run check` | types |
| `npm test` | runs the actions over a cluster in memory |
| `npm run build` | makes the program, `dist/{{name}}.mjs` |
| `docker build -f Containerfile -t IMAGE .` | makes the image: with a Node of its own, for both servers; `--target lateen` without it |
| `lateen plugin add IMAGE`, `velero plugin add IMAGE` | adds it to a server |

`src/plugin.ts` says what the plugin does; `src/index.ts` is the program.
