/**
 * False when spec.dataMoverConfig says `AttributeManifest: "false"`: nothing is kept, or given back, but what the engine itself
 * knows, as with Velero.
 */
export const wantsAttributes = (config: Readonly<Record<string, string>>): boolean =>
  config.AttributeManifest?.toLowerCase() !== 'false';
