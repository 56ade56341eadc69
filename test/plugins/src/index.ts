export { fixturePlugin } from './fixture-plugin.ts';
