import { definePlugin, servePlugin } from '@lateen/plugin';
import { fixturePlugin } from './fixture-plugin.ts';

/** `--parallel-calls=N`: the program declares it. */
const declared = process.argv.find((word) => word.startsWith('--parallel-calls='))?.split('=')[1];
await servePlugin(
  declared === undefined ? fixturePlugin : definePlugin({ ...fixturePlugin, parallelCalls: Number(declared) }),
);
