/** Hosts of one of Microsoft's clouds. */
export interface AzureCloud {
  /** Follows `<account>.` in the host name of a storage account. */
  blobDomain: string;
  /** Where tokens come from. */
  authority: string;
}

const publicCloud: AzureCloud = {
  blobDomain: 'blob.core.windows.net',
  authority: 'https://login.microsoftonline.com',
};
const governmentCloud: AzureCloud = {
  blobDomain: 'blob.core.usgovcloudapi.net',
  authority: 'https://login.microsoftonline.us',
};
const chinaCloud: AzureCloud = {
  blobDomain: 'blob.core.chinacloudapi.cn',
  authority: 'https://login.chinacloudapi.cn',
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
