/** The built-in providers, in the form of `--provider`. */
export const providerNames = ['aws', 'azure', 'gcp', 'velero.io/fs'] as const;
