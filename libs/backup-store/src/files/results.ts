/** Messages of a backup or a restore by where they belong (object-store-layout.md section 5.4). */
export interface Result {
  velero?: string[] | null;
  cluster?: string[] | null;
  namespaces?: Record<string, string[]> | null;
}

/** `<backup>-results.gz` and `restore-<restore>-results.gz`. */
export interface Results {
  warnings: Result;
  errors: Result;
}
