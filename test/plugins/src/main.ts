import { servePlugin } from '@lateen/plugin';
import { fixturePlugin } from './fixture-plugin.ts';

await servePlugin(fixturePlugin);
