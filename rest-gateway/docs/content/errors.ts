/** The page of error codes: errors.md, with cause, remedy and details of each code. */
import { ERRORS, type ErrorCode } from '../../../schema/errors'
import { EXAMPLES } from '../examples'
import { fillPlaceholders, jsonBlock, renderTable } from '../layout/markdown'
import { readDocument } from '../read-document'

const REMEDIES: Record<ErrorCode, string> = {
  MISSING_API_KEY: 'Send the key in the header `X-API-Key`. It is not read from the URL, and not from `Authorization`.',
  INVALID_API_KEY:
    'Compare the key with the one that was issued: it has no spaces or quotes, and its last characters are a checksum. If it is complete, it was replaced, deactivated, or has expired: ask the operator for a new one.',
  WRONG_ENVIRONMENT:
    'Use the key of this environment, whose prefix is in `expected_prefix`, or send the request to the base URL of the other one.',
  INSUFFICIENT_SCOPE: 'Ask the operator for a key with the scope in `required_scope`.',
  NOT_FOUND:
    'Compare the path with the reference, and the id with the list of assets that this key can read. An asset that was deleted or has left your scope is listed as `removed` in `/v1/partner/changes`.',
  METHOD_NOT_ALLOWED: 'Use one of the methods in `allowed`: the API only reads.',
  REQUIRED_PARAMETER: 'Add the parameter that `parameter` names.',
  INVALID_DATE: 'Write dates as `2026-10-25`. Days that do not exist, such as February 30, are errors.',
  INVALID_DATE_RANGE:
    'Exchange the two dates, or correct one. Both are inclusive, so that one day has the same date twice.',
  INVALID_PARAMETER:
    'Send a value as described in `expected`. A parameter that the route does not know is an error as well; `did_you_mean` names the one that was probably meant.',
  NOT_ACCEPTABLE: 'Send one of the media types in `available` in `Accept`, or leave the header out.',
  INVALID_CURSOR:
    'Send the cursor as it was received, to the same list, with the same filters and in the same environment. A position in `/v1/partner/changes` belongs to its key and the rotations of it; with a key of fewer companies, discard your copy and begin a new one. Otherwise begin again without `cursor`.',
  RESYNC_REQUIRED:
    'Discard your copy and begin a new one without `cursor`: it can contain data that no longer exist. The programs of the guide do this.',
  GRAIN_NOT_AVAILABLE: 'Repeat the request with the grain in `finest_grain`, or with a coarser one.',
  RANGE_TOO_LARGE:
    'Split the range into parts of at most `max_days`, or use a coarser grain. If `max_days` is 0, use `max_limit`.',
  QUERY_TOO_COSTLY:
    'Lower `limit` and read the other pages with `after`, shorten the range, use a coarser grain, or request fewer fields.',
  BAD_REQUEST: 'Send a valid HTTP/1.1 request with one `Host` header. Percent-encode special characters in the URL.',
  URI_TOO_LONG: 'Send fewer `asset_ids` in one request, or replace them by filters such as `city`.',
  HEADERS_TOO_LARGE: 'Remove headers and cookies that the API does not need.',
  RATE_LIMITED:
    'Wait for `Retry-After` seconds. To stay below the limit, read many assets at once with `/v1/partner/impressions`, send `If-None-Match`, and follow `/v1/partner/changes`.',
  INTERNAL:
    'Retry with exponential backoff. If it happens again, send the operator the `X-Request-Id` of the response.',
  UNAVAILABLE: 'Retry after the seconds in `Retry-After`, with exponential backoff.',
  TIMEOUT: 'Request a shorter range, or a coarser grain; then retry.',
}

/** Returns Markdown. */
export const errorsText = (): string =>
  fillPlaceholders(readDocument('errors.md'), {
    codes: () => (Object.keys(ERRORS) as ErrorCode[]).map(section).join('\n\n'),
  })

function section(code: ErrorCode): string {
  const { status, when, details = {}, optionalDetails = [] } = ERRORS[code]
  const fields = Object.entries(details).map(([name, { description }]) => [
    `\`${name}\``,
    `${description}${optionalDetails.includes(name) ? ' Optional.' : ''}`,
  ])
  const example = EXAMPLES.errors[code]
  return [
    `## ${code} {#${code}}`,
    `Status ${status}. **Cause:** ${when}`,
    `**Remedy:** ${REMEDIES[code]}`,
    fields.length > 0 ? renderTable(['details', 'meaning'], fields) : '',
    example ? jsonBlock(example) : '',
  ]
    .filter(Boolean)
    .join('\n\n')
}
