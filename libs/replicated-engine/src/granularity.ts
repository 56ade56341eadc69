/** Clusters of replicas' files are of this size: what differs inside of one differs as a whole. */
export const clusterBytes = 65_536;
