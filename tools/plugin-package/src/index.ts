export { packCreatePlugin, packPluginSdk } from './pack-plugin-sdk.ts';
