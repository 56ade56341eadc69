export { type CreatePluginOptions, createPlugin } from './create-plugin.ts';
