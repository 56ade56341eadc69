/** Velero's buckets, in seconds (performance.md section 9): 1, 5, 10, 15, 30 minutes, 1 to 4 hours. */
export const durationBuckets = [60, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 14_400];
