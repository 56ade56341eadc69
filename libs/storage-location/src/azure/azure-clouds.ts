/** Hosts of one of Microsoft's clouds. */
export interface AzureCloud {
  /** Follows `<account>.` in the host name of a storage account. */
  blobDomain: string;
  /** Where tokens come from. */
  authority: string;
  /** Where the keys of a storage account are asked for; also what a token for that is asked for. */
  resourceManager: string;
}

export const publicCloud: AzureCloud = {
  blobDomain: 'blob.core.windows.net',
  authority: 'https://login.microsoftonline.com',
  resourceManager: 'https://management.azure.com',
};
const governmentCloud: AzureCloud = {
  blobDomain: 'blob.core.usgovcloudapi.net',
  authority: 'https://login.microsoftonline.us',
  resourceManager: 'https://management.usgovcloudapi.net',
};
const chinaCloud: AzureCloud = {
  blobDomain: 'blob.core.chinacloudapi.cn',
  authority: 'https://login.chinacloudapi.cn',
  resourceManager: 'https://management.chinacloudapi.cn',
};

const clouds: ReadonlyMap<string, AzureCloud> = new Map([
  ['AZUREPUBLICCLOUD', publicCloud],
  ['AZURECLOUD', publicCloud],
  ['AZUREUSGOVERNMENT', governmentCloud],
  ['AZUREUSGOVERNMENTCLOUD', governmentCloud],
  ['AZURECHINACLOUD', chinaCloud],
]);

/** The cloud that AZURE_CLOUD_NAME means, in any case of letters; the public one for "". Undefined for an unknown name. */
export const azureCloud = (name: string): AzureCloud | undefined =>
  name === '' ? publicCloud : clouds.get(name.toUpperCase());
