"""The pages in the browser: what a person sees and clicks. All that reads or computes is a job."""
