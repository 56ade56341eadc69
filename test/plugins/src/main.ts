import { definePlugin, servePlugin } from '@lateen/plugin';
import { fixturePlugin } from './fixture-plugin.ts';

/** `--parallel-calls=N`: the number that the program declares. */
const declared = process.argv.find((word) => word.startsWith('--parallel-calls='))?.split('=')[1];
await servePlugin(
  declared === undefined ? fixturePlugin : definePlugin({ ...fixturePlugin, parallelCalls: Number(declared) }),
);
