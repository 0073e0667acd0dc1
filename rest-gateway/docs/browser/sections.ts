/** The list of sections beside the page: it marks the one that is read, and closes on narrow screens when one is chosen. */

/** From the top of the window, in pixels: what has passed it is being read. */
const LINE = 120

export function followSections(): void {
  const list = document.querySelector('.side ul')
  const toggle = document.querySelector<HTMLInputElement>('.side input')
  if (!list || !toggle) return
  list.addEventListener('click', () => {
    toggle.checked = false
  })
  let waiting = false
  const mark = () => {
    waiting = false
    let current: HTMLAnchorElement | undefined
    for (const link of list.querySelectorAll('a')) {
      const target = document.getElementById(link.hash.slice(1))
      if (target && target.getBoundingClientRect().top < LINE) current = link
      link.removeAttribute('aria-current')
    }
    if (!current) return
    current.setAttribute('aria-current', 'location')
    const { top, bottom } = current.getBoundingClientRect()
    if (top < 0 || bottom > innerHeight) current.scrollIntoView({ block: 'nearest' })
  }
  addEventListener(
    'scroll',
    () => {
      if (!waiting) requestAnimationFrame(mark)
      waiting = true
    },
    { passive: true },
  )
  mark()
}
