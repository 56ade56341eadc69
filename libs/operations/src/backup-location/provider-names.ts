/** Providers that are built in, as `--provider` takes them. */
export const providerNames = ['aws', 'azure', 'gcp', 'velero.io/fs'] as const;
