export { packCreatePlugin, packFolder, packPluginSdk } from './pack-plugin-sdk.ts';
