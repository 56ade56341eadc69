export {
  type AzureLimits,
  type AzureStoreConfig,
  type AzureStoreCredentials,
  azureLimitsDefault,
} from './azure-config.ts';
export { type AzureStoreOptions, azureStore } from './azure-store.ts';
