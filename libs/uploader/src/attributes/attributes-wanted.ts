/**
 * False when spec.dataMoverConfig says `AttributeManifest: "false"`: then only what the engine itself keeps is stored and
 * restored, as with Velero.
 */
export const wantsAttributes = (config: Readonly<Record<string, string>>): boolean =>
  config.AttributeManifest?.toLowerCase() !== 'false';
