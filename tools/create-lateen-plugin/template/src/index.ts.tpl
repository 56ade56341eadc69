import { servePlugin } from '@lateen/plugin';
import { plugin } from './plugin.ts';

await servePlugin(plugin);
