/** Query values that make a signed URL of S3, Google or Azure usable: anyone who has them may read the file. */
const signatureInQuery =
  /([?&](?:x-(?:amz|goog)-(?:signature|credential|security-token)|signature|awsaccesskeyid|googleaccessid|sig|skoid|sktid)=)[^&\s"'<]+/gi;

/** The text with the secret parts of signed URLs blanked; for everything that people and logs get to see. */
export const withoutSignatures = (text: string): string => text.replace(signatureInQuery, '$1***');
