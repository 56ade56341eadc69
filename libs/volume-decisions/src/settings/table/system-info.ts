import { notHere, rowsOf } from '../setting-definition.ts';

const { text } = rowsOf('system info');

export const systemInfoSettings = [
  text('crd-api-version', 'longhorn.io/v1beta2', 'Version of the API.', { readOnly: true }),
  text('current-longhorn-version', '', 'Version of the manager.', { readOnly: true }),
  text('default-backing-image-manager-image', '', 'Image of the backing image manager.', {
    readOnly: true,
    kept: notHere.backingImages,
  }),
  text('default-engine-image', '', 'Image whose engine serves volumes.', { readOnly: true }),
  text('default-instance-manager-image', '', 'Image of the instance managers.', { readOnly: true }),
  text('latest-longhorn-version', '', 'Newest version there is.', { readOnly: true, kept: notHere.outside }),
  text('stable-longhorn-versions', '', 'Newest version of each minor one.', { readOnly: true, kept: notHere.outside }),
  text('support-bundle-manager-image', '', 'Image that makes support bundles.', { kept: notHere.bundles }),
] as const;
