import { productVersion } from '@lateen/api-types';

/** The CSI driver's name, as StorageClasses name it. */
export const driverName = 'csi.lateen.dev';

/** Of replicated volumes; Longhorn's name, so that its StorageClasses and PersistentVolumes work. */
export const replicatedDriverName = 'driver.longhorn.io';

/** Where a volume can be reached: on the node whose name is the value. */
export const topologyKey = 'topology.csi.lateen.dev/node';

/** GetPluginInfo's vendor_version. Sidecars refuse a driver without one. */
export const driverVersion = productVersion;
